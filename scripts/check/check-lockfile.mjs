// Fails when package-lock.json is not complete: `npm ci` on another platform would stop, or install what has no checksum.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const problems = Object.entries(packages).flatMap(([place, entry]) => [
  ...findMissing(place, entry),
  ...findUnverified(place, entry),
]);

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** npm leaves these out when the registry lacks the package of a platform, as it often does for the newest versions. */
function findMissing(place, { version, optionalDependencies = {} }) {
  const missing = Object.keys(optionalDependencies).filter(name => !isInstalledFor(place, name));
  if (missing.length === 0) return [];
  const names = missing.join(', ');
  return [
    `package-lock.json has no entry for ${names}: optional dependencies of ${nameOf(place)} ${version}. ` +
      'Pin a version whose platform packages are all in the registry.',
  ];
}

function findUnverified(place, { integrity }) {
  return place === '' || integrity
    ? []
    : [`package-lock.json has no integrity for ${nameOf(place)}. Remove its entry and run npm install.`];
}

/** As Node resolves: in the node_modules of the package, then of each package around it, then of the root. */
function isInstalledFor(place, name) {
  if (packages[place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`]) return true;
  return place !== '' && isInstalledFor(parentOf(place), name);
}

function parentOf(place) {
  return place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')));
}

function nameOf(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
