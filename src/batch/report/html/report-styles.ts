/** All styles in one block, whose hash is in the page's policy: no other style and no script can load. */
export const STYLES = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--faint:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--on:#fff;
--passed:#1a7f37;--failed:#cf222e;--agent-error:#bc4c00;--agent-timeout:#8a5a00;--limit:#8250df;--grader-error:#0969da;
--infrastructure:#57606a;--cancelled:#6e7781}
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--panel:#161b22;
--on:#0d1117;--passed:#3fb950;--failed:#f85149;--agent-error:#f0883e;--agent-timeout:#d29922;--limit:#bc8cff;
--grader-error:#58a6ff;--infrastructure:#9198a1;--cancelled:#848d97}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:80rem;padding:1.5rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .7rem}
h3{font-size:.95rem;margin:.8rem 0 .3rem}
p{margin:.3rem 0}a{color:inherit}.faint,dt,caption{color:var(--faint)}
.warning{border-left:4px solid var(--agent-error);background:var(--panel);padding:.5rem .8rem;margin:.8rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.8rem;margin:1.2rem 0;padding:0;
list-style:none}
.tiles li{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.7rem .9rem;break-inside:avoid}
.tiles b{display:block;font-size:1.6rem;line-height:1.25;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
caption{text-align:left;padding:.2rem 0}
th,td{text-align:left;padding:.28rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--faint);font-weight:600}tbody th{font-weight:500;overflow-wrap:break-word}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.sign{display:inline-block;min-width:1.45em;text-align:center;border-radius:4px;color:var(--on);font-weight:700;
text-decoration:none}
.none{display:inline-block;min-width:1.45em;text-align:center;color:var(--faint)}
.matrix{columns:19rem;column-gap:1.5rem}.matrix tr{break-inside:avoid}.matrix td{padding:.2rem .15rem}
.matrix thead th:not(:first-child){padding:.2rem .15rem;text-align:center}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:1.2rem;align-items:start}
figure{margin:0;break-inside:avoid}figcaption{color:var(--faint)}
svg{width:100%;height:auto;display:block}svg text{fill:var(--faint);font:11px system-ui,sans-serif}
svg .axis{stroke:var(--line)}svg .median{stroke:var(--ink);stroke-dasharray:3 2}svg .track{fill:var(--line)}
svg .bar{fill:var(--grader-error)}svg text.on{fill:var(--on);font-weight:700}td svg{min-width:6rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:.5rem 0;list-style:none}
.filters{border:1px solid var(--line);border-radius:8px;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.5rem 0}
.attempt .more{border-bottom:2px solid var(--line);padding-top:0}.attempt tr:first-child>*{border-bottom:0}
.attempt:target{outline:2px solid var(--grader-error)}
summary{cursor:pointer;overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.6rem;margin:.3rem 0;
max-height:30rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.45 ui-monospace,monospace}
.cut{color:var(--faint)}
${colours('passed', 'failed', 'agent-error', 'agent-timeout', 'limit', 'grader-error', 'infrastructure', 'cancelled')}
body:has(#only-passed:checked) .attempt:not(.t-passed),body:has(#only-failed:checked) .attempt:not(.t-failed),
body:has(#only-errors:checked) .attempt:not(.t-errors,.t-cancelled),
body:has(#only-findings:checked) .attempt:not(.has-findings){display:none}
@media print{body{max-width:none;padding:0;font-size:11px}.filters{display:none}h2{break-after:avoid}
.attempt{break-inside:avoid}pre{max-height:none}}
`;

function colours(...outcomes: readonly string[]): string {
  return outcomes
    .map(
      outcome => `.sign.o-${outcome}{background:var(--${outcome})}svg .o-${outcome}{fill:var(--${outcome})}`,
    )
    .join('\n');
}
