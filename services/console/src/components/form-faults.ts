import type { Fault } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';

/** What the API found wrong, to be shown at the fields that caused it. */
export interface FormFaults {
  /** Of the field at this path and all below it; undefined: none. For an input's `error`. */
  at(path: string): string | undefined;
  /** Issues that no field has claimed, to be shown above the form. Call after all fields are rendered. */
  readonly all: readonly Fault[];
}

/** `error`: of the mutation that sent the form. */
export function formFaults(error: unknown): FormFaults {
  const all = error ? asProblem(error).faults : [];
  return {
    all,
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
