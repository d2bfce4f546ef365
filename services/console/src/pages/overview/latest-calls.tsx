import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { RelativeTime } from '../../components/time.tsx';
import { Section } from '../../components/layout.tsx';
import { CallRow } from './call-row.tsx';
import classes from './overview.module.css';

export function LatestCalls({ calls }: { calls: readonly Schemas['CallSummary'][] }) {
  return (
    <Section
      title="Latest calls"
      flush
      actions={
        <Anchor component={Link} to="/calls" className="link" fz="sm">
          All calls
        </Anchor>
      }
    >
      <ul className={classes.list} aria-label="Latest calls">
        {calls.length === 0 && (
          <li className={classes.row}>
            <Text c="dimmed" fz="sm">
              No call has ended yet.
            </Text>
          </li>
        )}
        {calls.map((call) => (
          <CallRow key={call.callId} call={call}>
            <RelativeTime at={call.created} />
            {call.shortSummary && ` · ${call.shortSummary}`}
          </CallRow>
        ))}
      </ul>
    </Section>
  );
}
