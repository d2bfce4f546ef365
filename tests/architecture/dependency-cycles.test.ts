import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from '@jest/globals';
import { importsOf, ROOT, sourcePaths } from './source-paths.ts';

/** Nodes and, for each, the nodes that it depends on. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

interface Manifest {
  name: string;
  exports?: Record<string, string>;
}

const paths = sourcePaths().filter((path) => !path.includes('.test.'));
const known = new Set(paths);
const homeOf = (path: string): string => path.split('/').slice(0, 2).join('/');

/** The file of each entry point, by specifier: `@calls/audio/wav` → `packages/audio/src/wav.ts`. */
const entryPoints = new Map(
  [...new Set(paths.map(homeOf))].flatMap((home) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(ROOT, home, 'package.json'), 'utf8'),
    ) as Manifest;
    return Object.entries(exports).map(([entry, file]) => [join(name, entry), join(home, file)] as const);
  }),
);

function dependenciesOf(path: string): Set<string> {
  const targets = importsOf(readFileSync(join(ROOT, path), 'utf8')).map((specifier) =>
    specifier.startsWith('.') ? join(dirname(path), specifier) : entryPoints.get(specifier),
  );
  return new Set(targets.filter((target) => target !== undefined && known.has(target)) as string[]);
}

/** Merges the nodes that have the same name under `nameOf`; a node never depends on itself. */
function condensed(graph: Graph, nameOf: (node: string) => string): Graph {
  const merged = new Map<string, Set<string>>();
  for (const [node, targets] of graph) {
    const name = nameOf(node);
    const all = merged.get(name) ?? new Set();
    merged.set(name, all);
    for (const target of targets) if (nameOf(target) !== name) all.add(nameOf(target));
  }
  return merged;
}

/** Every cycle that a depth-first search closes, as `a → b → a`. */
function cyclesOf(graph: Graph): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const start = path.indexOf(node);
    if (start >= 0) cycles.push([...path.slice(start), node].join(' → '));
    if (start >= 0 || finished.has(node)) return;
    path.push(node);
    for (const target of graph.get(node) ?? []) visit(target);
    path.pop();
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return cycles;
}

const files: Graph = new Map(paths.map((path) => [path, dependenciesOf(path)]));

describe('dependencies, including type imports', () => {
  it('are searched by an algorithm that finds the cycle in a sample graph', () => {
    expect(
      cyclesOf(
        new Map([
          ['a', new Set(['b'])],
          ['b', new Set(['c'])],
          ['c', new Set(['b'])],
        ]),
      ),
    ).toEqual(['b → c → b']);
    expect(files.get('services/media-worker/src/main.ts')?.size).toBeGreaterThan(0);
  });

  it('have no cycles between files', () => {
    expect(cyclesOf(files)).toEqual([]);
  });

  it('have no cycles between packages and services', () => {
    expect(cyclesOf(condensed(files, homeOf))).toEqual([]);
  });

  it.each(['control-plane', 'dispatcher', 'media-worker'])(
    'have no cycles between the folders of %s',
    (name) => {
      const home = `services/${name}/src/`;
      const own = new Map(
        [...files]
          .filter(([path]) => path.startsWith(home))
          .map(
            ([path, targets]) =>
              [path, new Set([...targets].filter((each) => each.startsWith(home)))] as const,
          ),
      );
      const folderOf = (path: string): string => path.slice(home.length).split('/', 1).join('');
      expect(cyclesOf(condensed(own, folderOf))).toEqual([]);
    },
  );
});
