import { Box } from '@mantine/core';
import { CopyText } from './copyable.tsx';
import classes from './json-view.module.css';

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
