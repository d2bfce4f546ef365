import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { PlayIcon, SquareIcon } from 'lucide-react';
import { isActive, type VoicePreview } from './use-voice-preview.ts';

interface PreviewButtonProps {
  preview: VoicePreview;
  id: string;
  /** Name of the voice. */
  name: string;
  fetchAudio: (signal: AbortSignal) => Promise<Blob>;
}

/** Plays or stops a voice preview; in table rows. */
export function PreviewIconButton(props: PreviewButtonProps) {
  const { isOn, isLoading, toggle } = useButton(props);
  const label = isOn ? `Stop ${props.name}` : `Play ${props.name}`;
  return (
    <Tooltip label={isOn ? 'Stop' : 'Listen'}>
      <ActionIcon
        variant="light"
        color="pine"
        radius="xl"
        size="md"
        aria-label={label}
        aria-busy={isLoading}
        loading={isLoading}
        onClick={toggle}
      >
        {isOn ? <SquareIcon size={15} /> : <PlayIcon size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

export function PreviewTextButton(props: PreviewButtonProps & { label?: string }) {
  const { isOn, isLoading, toggle } = useButton(props);
  return (
    <Button
      variant="default"
      leftSection={isOn ? <SquareIcon size={15} /> : <PlayIcon size={15} />}
      loading={isLoading}
      onClick={toggle}
    >
      {isOn ? 'Stop' : (props.label ?? 'Listen')}
    </Button>
  );
}

function useButton({ preview, id, fetchAudio }: PreviewButtonProps) {
  return {
    isOn: isActive(preview.state, id),
    isLoading: preview.state.phase === 'loading' && preview.state.id === id,
    toggle: () => preview.toggle(id, fetchAudio),
  };
}

/** The provider's error message if the voice preview failed. */
export function PreviewError({ preview, id }: { preview: VoicePreview; id: string }) {
  const { state } = preview;
  if (state.phase !== 'failed' || state.id !== id) return null;
  return (
    <Text component="span" display="block" c="var(--mantine-color-error)" fz="sm" role="alert">
      {state.problem.message}
    </Text>
  );
}
