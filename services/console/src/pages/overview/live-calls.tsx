import { Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { Section } from '../../components/section.tsx';
import { CallLength } from '../calls/call-length.tsx';
import { CallStateBadge } from '../calls/call-state-badge.tsx';
import { callTitle, mediumText } from '../calls/call-words.ts';
import classes from './overview.module.css';

type Call = Schemas['Call'];

export function LiveCalls({ calls }: { calls: readonly Call[] | undefined }) {
  return (
    <Section title="Going on" flush>
      {calls === undefined ? (
        <div className={classes.row}>
          <Skeleton height={14} my={8} width="40%" />
        </div>
      ) : calls.length === 0 ? (
        <div className={classes.row}>
          <Text c="dimmed" fz="sm">
            No call is live. One that begins shows up here.
          </Text>
        </div>
      ) : (
        <ul className={classes.list} aria-label="Live calls">
          {calls.map((call) => (
            <li key={call.callId} className={`${classes.row} ${classes.call}`}>
              <div className={classes.rowText}>
                <Text truncate>
                  <Link to={`/calls/${call.callId}`} className={classes.rowLink}>
                    {callTitle(call)}
                  </Link>
                </Text>
                <Text fz="sm" c="dimmed">
                  {mediumText(call)}
                </Text>
              </div>
              <CallStateBadge call={call} />
              <Text component="span" fz="sm" className="numbers" miw="3.5rem" ta="right">
                <CallLength call={call} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
