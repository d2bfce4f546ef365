import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'live' | 'neutral' | 'warning' | 'bad';

const COLOR: Record<Tone, string> = {
  good: 'pine',
  live: 'pine',
  neutral: 'gray',
  warning: 'yellow',
  bad: 'red',
};

/** A status in one word; `live` has a pulsing dot. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge
      color={COLOR[tone]}
      className={classes.badge}
      data-tone={tone}
      leftSection={tone === 'live' && <span className={classes.dot} />}
    >
      {children}
    </Badge>
  );
}
