/**
 * The sources that mediasoup's build files name, in groups that are compiled as one each: their headers are most of the
 * work, and there are 257 sources.
 */
export function unitsOf(workerBuild, libwebrtcBuild) {
  const worker = named(workerBuild, /'(src\/[^']+\.cpp)'/g);
  const libwebrtc = named(libwebrtcBuild, /'(libwebrtc\/[^']+\.cc)'/g).map(
    (path) => `deps/libwebrtc/${path}`,
  );
  const apart = worker.filter((path) => APART.has(path));
  const together = worker.filter((path) => !APART.has(path));
  return [
    ...dealt(together, WORKER_UNITS),
    ...dealt(libwebrtc, LIBWEBRTC_UNITS),
    ...apart.map((path) => [path]),
  ];
}

/** The text of a unit; `resolve` maps a source to its path. Each source names itself by this macro. */
export function unitText(sources, resolve) {
  return sources.map((path) => `#include "${resolve(path)}"\n#undef MS_CLASS\n`).join('');
}

const WORKER_UNITS = 8;
const LIBWEBRTC_UNITS = 3;
/** Names a variable as a source does that falls into its unit. */
const APART = new Set(['src/RTC/SCTP/association/TransmissionControlBlock.cpp']);

function named(text, pattern) {
  return [...new Set([...text.matchAll(pattern)].map(([, path]) => path))];
}

/** Like cards: neighbours, which often name the same things, come apart. */
function dealt(items, count) {
  return Array.from({ length: count }, (_, first) => items.filter((_item, i) => i % count === first));
}
