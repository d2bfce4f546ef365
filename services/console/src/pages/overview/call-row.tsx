import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { CallLength, CallStateBadge } from '../calls/call-cells.tsx';
import { callTitle } from '../calls/call-labels.ts';
import classes from './overview.module.css';

/** A call in a list of the overview; the whole row is a link. `children`: its second line. */
export function CallRow({ call, children }: { call: Schemas['CallSummary']; children: ReactNode }) {
  return (
    <li className={`${classes.row} ${classes.call}`}>
      <div className={classes.rowText}>
        <Text truncate>
          <Link to={`/calls/${call.callId}`} className={classes.rowLink}>
            {callTitle(call)}
          </Link>
        </Text>
        <Text fz="sm" c="dimmed" truncate>
          {children}
        </Text>
      </div>
      <CallStateBadge call={call} />
      <Text component="span" fz="sm" className="numbers" miw="3.5rem" ta="right">
        <CallLength call={call} />
      </Text>
    </li>
  );
}
