/**
 * Matches the version in a file that is not JSON: `VERSION = '1.2.3'`, `version: '1.2.3'`, `ARG VERSION=1.2.3`,
 * `newTag: 1.2.3`.
 */
const VERSION = /(\b(?:version|newTag)\b\s*[:=]\s*'?)(\d+\.\d+\.\d+[\w.+-]*)/iu;

/** An updater of commit-and-tag-version. */
export function readVersion(contents) {
  const found = VERSION.exec(contents);
  if (!found) throw new Error('no version found');
  return found[2];
}

export function writeVersion(contents, version) {
  return contents.replace(VERSION, `$1${version}`);
}
