import { createContext, use } from 'react';
import type { FormFaults } from '../../components/form-faults.ts';
import { valueAt, type Template } from './template-paths.ts';

/** The template that is being edited, for the fields below. */
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
  /** As it is in the template, which may be typed by hand as JSON: of any type. */
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
