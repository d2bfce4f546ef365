import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';
import { CheckIcon, CopyIcon, KeyRoundIcon } from 'lucide-react';

/** Shows a new API key, for the only time. */
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
        <CopyButton value={props.secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
              data-autofocus
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={props.onDone}>{props.doneLabel}</Button>
      </Group>
    </Stack>
  );
}
