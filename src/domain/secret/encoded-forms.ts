/**
 * A value as programs print it: unchanged, in JSON (also JSON within JSON), in a URL, in base64 at any offset, and in
 * hexadecimal.
 */
export function encodedForms(value: string): string[] {
  return [
    value,
    ...jsonForms(value),
    ...urlForms(value),
    ...[0, 1, 2].flatMap(offset => base64Forms(value, offset)),
    ...hexForms(value),
  ];
}

function jsonForms(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const withSlashes = once.replaceAll('/', '\\/');
  return [once, twice, withSlashes, ...[once, twice].map(inAscii)];
}

const inAscii = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function urlForms(given: string): string[] {
  // Half of a surrogate pair has no form in a url.
  const value = Buffer.from(given).toString();
  const component = encodeURIComponent(value);
  // Those that encodeURIComponent leaves as they are, and form encoders do not.
  const strict = component.replaceAll(
    /[!'()*~]/g,
    each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const all = [component, strict, strict.replaceAll('%20', '+'), encodeURI(value)];
  return [...all, ...all.map(form => form.replaceAll(/%[0-9A-F]{2}/g, code => code.toLowerCase()))];
}

/**
 * The base64 form of a value with `offset` bytes (of every three) before it, without the characters at both ends that
 * hold bits of the surrounding text.
 */
function base64Forms(value: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const from = offset === 0 ? 0 : offset + 1;
  const core = bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6));
  return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}

function hexForms(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}
