import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { CallLength } from '../calls/call-length.tsx';
import { CallStateBadge } from '../calls/call-state-badge.tsx';
import { callTitle } from '../calls/call-words.ts';
import classes from './overview.module.css';

export function LatestCalls({ calls }: { calls: readonly Schemas['Call'][] | undefined }) {
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
      {calls?.length === 0 && (
        <div className={classes.row}>
          <Text c="dimmed" fz="sm">
            No call has ended yet.
          </Text>
        </div>
      )}
      <ul className={classes.list} aria-label="Latest calls">
        {calls === undefined
          ? Array.from({ length: 4 }, (_, index) => (
              <li key={index} className={classes.row}>
                <Skeleton height={14} my={8} width="50%" />
              </li>
            ))
          : calls.map((call) => (
              <li key={call.callId} className={`${classes.row} ${classes.call}`}>
                <div className={classes.rowText}>
                  <Text truncate>
                    <Link to={`/calls/${call.callId}`} className={classes.rowLink}>
                      {callTitle(call)}
                    </Link>
                  </Text>
                  <Text fz="sm" c="dimmed" truncate>
                    <RelativeTime at={call.created} />
                    {call.shortSummary && ` · ${call.shortSummary}`}
                  </Text>
                </div>
                <CallStateBadge call={call} />
                <Text component="span" fz="sm" className="numbers" miw="3.5rem" ta="right">
                  <CallLength call={call} />
                </Text>
              </li>
            ))}
      </ul>
    </Section>
  );
}
