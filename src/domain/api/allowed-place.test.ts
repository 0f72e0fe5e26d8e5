import { expect, test } from 'vitest';
import { parseAllowedPlace } from './allowed-place.js';

test.each([
  'https://host',
  'https://host/team',
  'ssh://git@host',
  'git@host:',
  'git@host:team',
  'host:team/',
])('%s is a URL prefix', url => expect(parseAllowedPlace(url)).toEqual({ kind: 'url', url }));

test.each([
  ['/srv/code', '/srv/code'],
  ['code', 'code'],
  ['./host:team', './host:team'],
  ['/srv/a:b', '/srv/a:b'],
  ['file:///srv/my%20code', '/srv/my code'],
])('%s is a directory', (text, path) => expect(parseAllowedPlace(text)).toEqual({ kind: 'directory', path }));

test.each([
  'http://host',
  'git://host',
  'ext::sh -c id',
  'file://host/code',
  'https://',
  'https://me:secret@host',
])('nothing can be fetched from %s', text => expect(parseAllowedPlace(text)).toBeUndefined());
