import { useEffect } from 'react';
import type { Issue } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';

/** Validation issues of the API that fields show. */
export interface FormIssues {
  /** Issues at this path and below it, for the `error` of an input; undefined if there are none. */
  at(path: string): string | undefined;
  readonly all: readonly Issue[];
  /** Issues that no field shows, if the fields at `paths` show those at and below their paths. */
  elsewhere(paths: readonly string[]): readonly Issue[];
}

/** Groups of inputs with an error have no `aria-invalid`, unlike single inputs. */
const GROUP = '.mantine-InputWrapper-root';
const GROUP_ERROR = '.mantine-InputWrapper-error';

/**
 * `error`: the error of the mutation that sent the form. Moves the focus to the first field with an issue: screen readers
 * read it, and the button that sent the form has lost the focus, because it was disabled in the meantime.
 */
export function useFormIssues(error: unknown): FormIssues {
  useEffect(() => {
    if (!error) return;
    // Dialogs are after the page.
    const form = [...document.querySelectorAll('main, [role="dialog"]')].at(-1);
    const first = form?.querySelector<HTMLElement>(`[aria-invalid="true"], ${GROUP_ERROR}`);
    const control = first?.matches(GROUP_ERROR)
      ? first.closest(GROUP)?.querySelector<HTMLElement>('input, textarea, button')
      : first;
    control?.focus();
  }, [error]);
  return formIssues(error);
}

export function formIssues(error: unknown): FormIssues {
  const all = error ? asProblem(error).issues : [];
  return {
    all,
    elsewhere: (paths) => all.filter((issue) => !paths.some((path) => isAtOrBelow(issue.path, path))),
    at(path) {
      const here = all.filter((issue) => isAtOrBelow(issue.path, path));
      if (here.length === 0) return undefined;
      return here
        .map(({ path: at, message }) => (at === path ? message : `${below(path, at)}: ${message}`))
        .join('; ');
    },
  };
}

function isAtOrBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}.`) || path.startsWith(`${root}[`);
}

/** The rest of the path, for people: `item 1` for the first of a list. */
function below(root: string, path: string): string {
  const rest = path.slice(root.length).replace(/^[./]/u, '');
  return rest.replace(/^\[?(\d+)\]?/u, (_, index: string) => `item ${Number(index) + 1}`);
}
