export const REFERENCE_STYLES = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--faint:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--link:#0550ae;
--get:#0550ae;--post:#116329;--delete:#a40e26}
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--panel:#161b22;
--link:#79b8ff;--get:#79b8ff;--post:#56d364;--delete:#ff9492}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;display:grid;
grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.2rem 1rem;border-right:1px solid var(--line);
background:var(--panel)}
nav h2{font-size:.95rem;margin:.9rem 0 .2rem}nav ul{list-style:none;margin:0;padding:0}nav li{font-size:.86rem}
main{padding:1.5rem 2rem;max-width:72rem}
h1{font-size:1.7rem;margin:0 0 .6rem}main h2{margin:2.4rem 0 .4rem;border-bottom:1px solid var(--line)}
article{margin:1.4rem 0 2rem}article:target h3{outline:2px solid var(--link);outline-offset:4px}
h3{font-size:1.02rem;margin:0 0 .3rem}h3 a{color:inherit;text-decoration:none}h3 a:hover{text-decoration:underline}
p{margin:.35rem 0}a{color:var(--link)}nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
code,pre{font:.86rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{text-align:left;vertical-align:top;padding:.26rem .6rem .26rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
thead th{white-space:nowrap;color:var(--faint);font-weight:600;font-size:.86rem}tbody th{font-weight:500}
.faint{color:var(--faint);font-size:.86rem}
.method{display:inline-block;min-width:3.4rem;text-transform:uppercase;font-size:.76rem;font-weight:700}
.get{color:var(--get)}.post{color:var(--post)}.delete{color:var(--delete)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.4rem .8rem}
@media (max-width:56rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
`.trimStart();
