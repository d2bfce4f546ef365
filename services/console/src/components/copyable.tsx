import { ActionIcon, Box, Button, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from 'lucide-react';
import classes from './json-view.module.css';

/** Number of shown characters from the end, because ids start with the time. */
const SHORT_LENGTH = 8;

/** An id or other text, with a button that copies all of it. */
export function Copyable(props: {
  text: string;
  /** Shows only the last characters. */
  short?: boolean;
  /** Description of the text: `call id`. */
  what?: string;
}) {
  const { text, what = 'id' } = props;
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex" maw="100%">
      <Text component="span" className="mono" inherit title={text} truncate>
        {props.short ? `…${text.slice(-SHORT_LENGTH)}` : text}
      </Text>
      <CopyText text={text} label={`Copy the ${what}`} />
    </Group>
  );
}

export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon size="sm" onClick={copy} aria-label={label}>
            {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Like CopyText, for the only action of a dialog. */
export function CopyTextButton({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
          data-autofocus
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}

/** Shows a JSON value with a copy button, which takes most of the time to render. */
export function JsonView(props: { value: unknown; maxHeight?: string; hasCopy?: boolean }) {
  const { value, maxHeight = '24rem', hasCopy = true } = props;
  const text = JSON.stringify(value, null, 2);
  return (
    <Box className={classes.frame}>
      {hasCopy && (
        <div className={classes.copy}>
          <CopyText text={text} label="Copy the JSON" />
        </div>
      )}
      {/* It scrolls, so the keyboard must reach it. */}
      <pre className={classes.text} style={{ maxHeight }} tabIndex={0} aria-label="JSON">
        {text}
      </pre>
    </Box>
  );
}
