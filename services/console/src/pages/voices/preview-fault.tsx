import { Text } from '@mantine/core';
import type { VoicePreview } from './use-voice-preview.ts';

/** The provider's error message if the voice preview failed. */
export function PreviewFault({ preview, id }: { preview: VoicePreview; id: string }) {
  const { state } = preview;
  if (state.phase !== 'failed' || state.id !== id) return null;
  return (
    <Text component="span" display="block" c="var(--mantine-color-error)" fz="sm" role="alert">
      {state.problem.message}
    </Text>
  );
}
