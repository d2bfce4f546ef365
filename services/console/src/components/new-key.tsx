import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { KeyRoundIcon } from 'lucide-react';
import { CopyTextButton } from './copyable.tsx';

/** Shows a new API key. No other page shows it again. */
export function NewKey(props: { secret: string; doneLabel: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert icon={<KeyRoundIcon />} color="yellow" title="Copy it now">
        It is shown only once, because only a hash of it is stored.
      </Alert>
      <Code block fz="sm" aria-label="The key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {props.secret}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyTextButton text={props.secret} label="Copy" />
        <Button onClick={props.onDone}>{props.doneLabel}</Button>
      </Group>
    </Stack>
  );
}
