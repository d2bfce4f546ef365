import { ActionIcon, Box, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from 'lucide-react';
import classes from './json-view.module.css';

/** Of the end: ids begin with the time. */
const SHORT_LENGTH = 8;

/** An id, or other text that is taken elsewhere, with a button that copies the whole of it. */
export function Copyable(props: {
  text: string;
  /** Shows its last characters only. */
  short?: boolean;
  /** What it is: `call id`. */
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

/** A JSON value to read and copy. */
export function JsonView({ value, maxHeight = '24rem' }: { value: unknown; maxHeight?: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <Box className={classes.frame}>
      <div className={classes.copy}>
        <CopyText text={text} label="Copy the JSON" />
      </div>
      {/* It scrolls, so the keyboard must reach it. */}
      <pre className={classes.text} style={{ maxHeight }} tabIndex={0} aria-label="JSON">
        {text}
      </pre>
    </Box>
  );
}
