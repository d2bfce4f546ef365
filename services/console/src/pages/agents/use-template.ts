import { useEditor } from '../../components/editor/editor.tsx';
import type { Template } from './template.ts';

/** The template of the agent that is being edited. */
export function useTemplate(): Template {
  return useEditor().value;
}
