import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { Section } from '../../components/layout.tsx';
import { mediumText } from '../calls/call-labels.ts';
import { CallRow } from './call-row.tsx';
import classes from './overview.module.css';

export function LiveCalls({ calls }: { calls: readonly Schemas['CallSummary'][] }) {
  return (
    <Section title="Live calls" flush>
      <ul className={classes.list} aria-label="Live calls">
        {calls.length === 0 && (
          <li className={classes.row}>
            <Text c="dimmed" fz="sm">
              No live calls.
            </Text>
          </li>
        )}
        {calls.map((call) => (
          <CallRow key={call.callId} call={call}>
            {mediumText(call)}
          </CallRow>
        ))}
      </ul>
    </Section>
  );
}
