import { createContext, use } from 'react';
import type { FormIssues } from '../form-issues.ts';
import { valueAt } from './value-paths.ts';

/** A named resource that is being edited, for the fields of its form. */
export interface Editor {
  readonly name: string;
  readonly setName: (name: string) => void;
  /** Has the API's request type. The form, the JSON view and the request share this value. */
  readonly value: object;
  readonly set: (path: string, value: unknown) => void;
  readonly replace: (value: object) => void;
  /** Path of the value in requests: `callTemplate`. */
  readonly root: string;
  readonly issues: FormIssues;
}

const Context = createContext<Editor | null>(null);
export const EditorProvider = Context.Provider;

export function useEditor(): Editor {
  const editor = use(Context);
  if (!editor) throw new Error('the field is not in an editor');
  return editor;
}

export interface Field {
  /** The current value. Its type is unknown, because users may type it as JSON. */
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly error: string | undefined;
}

export function useField(path: string): Field {
  const { value, set, root, issues } = useEditor();
  return {
    value: valueAt(value, path),
    set: (changed) => set(path, changed),
    error: issues.at(`${root}.${path}`),
  };
}
