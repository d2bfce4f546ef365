import type { Fault } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';

/** Validation issues of the API, to be shown at their fields. */
export interface FormFaults {
  /** The issues at this path and below it, for an input's `error`; undefined if there are none. */
  at(path: string): string | undefined;
  readonly all: readonly Fault[];
  /** The issues that no field shows, if fields show those at and below these paths. */
  elsewhere(paths: readonly string[]): readonly Fault[];
}

/** `error`: the error of the mutation that sent the form. */
export function formFaults(error: unknown): FormFaults {
  const all = error ? asProblem(error).faults : [];
  return {
    all,
    elsewhere: (paths) => all.filter((fault) => !paths.some((path) => isAtOrBelow(fault.path, path))),
    at(path) {
      const here = all.filter((fault) => isAtOrBelow(fault.path, path));
      if (here.length === 0) return undefined;
      return here
        .map(({ path: at, message }) =>
          at === path ? message : `${at.slice(path.length).replace(/^[./]/u, '')}: ${message}`,
        )
        .join('; ');
    },
  };
}

function isAtOrBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}.`) || path.startsWith(`${root}[`);
}
