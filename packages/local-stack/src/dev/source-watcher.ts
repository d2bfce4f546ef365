import { watch } from 'node:fs';
import { join } from 'node:path';

/** Editors and `git checkout` write in bursts: a change is reported when no other has followed for this time. */
const QUIET_MS = 40;

const IGNORED = /\.test\.tsx?$/u;
const SOURCE = /\.(?:ts|mjs|js|json|proto|sql)$/u;

/** Reports changed source files (absolute paths) in the folders in batches, without test files. */
export function watchSources(
  folders: Iterable<string>,
  onChange: (files: ReadonlySet<string>) => void,
): Disposable {
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const files = changed;
    changed = new Set();
    onChange(files);
  };
  const watchers = [...folders].map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || !SOURCE.test(name) || IGNORED.test(name)) return;
      changed.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(report, QUIET_MS);
    }),
  );
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
