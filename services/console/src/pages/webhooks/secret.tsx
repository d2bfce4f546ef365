import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { EyeIcon, EyeOffIcon } from 'lucide-react';
import { CopyText } from '../../components/copyable.tsx';

/** Dots, until one asks to see it. */
export function Secret({ text, label }: { text: string; label: string }) {
  const [isShown, setShown] = useState(false);
  const action = isShown ? `Hide ${label}` : `Show ${label}`;
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Text component="span" className="mono" inherit style={{ overflowWrap: 'anywhere' }}>
        {isShown ? text : '•'.repeat(16)}
      </Text>
      <Tooltip label={isShown ? 'Hide' : 'Show'}>
        <ActionIcon size="sm" aria-label={action} onClick={() => setShown(!isShown)}>
          {isShown ? <EyeOffIcon size={15} /> : <EyeIcon size={15} />}
        </ActionIcon>
      </Tooltip>
      <CopyText text={text} label={`Copy ${label}`} />
    </Group>
  );
}
