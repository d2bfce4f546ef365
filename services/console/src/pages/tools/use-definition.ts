import { useEditor } from '../../components/editor/editor.tsx';
import type { Definition } from './tool-labels.ts';

/** The definition of the tool that is being edited. */
export function useDefinition(): Definition {
  return useEditor().value;
}
