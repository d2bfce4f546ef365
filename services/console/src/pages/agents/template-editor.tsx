import { createContext, use } from 'react';
import type { FormFaults } from '../../components/form-faults.ts';
import { valueAt, type Template } from './template-paths.ts';

/** The template being edited, for the fields of the form. */
export interface TemplateEditor {
  readonly template: Template;
  readonly set: (path: string, value: unknown) => void;
  readonly faults: FormFaults;
}

const Editor = createContext<TemplateEditor | null>(null);
export const TemplateEditorProvider = Editor.Provider;

export function useTemplateEditor(): TemplateEditor {
  const editor = use(Editor);
  if (!editor) throw new Error('the field is not in a template editor');
  return editor;
}

export interface TemplateField {
  /** The current value, of any type because it may be typed as JSON. */
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  readonly error: string | undefined;
}

export function useTemplateField(path: string): TemplateField {
  const { template, set, faults } = useTemplateEditor();
  return {
    value: valueAt(template, path),
    set: (value) => set(path, value),
    error: faults.at(`callTemplate.${path}`),
  };
}
