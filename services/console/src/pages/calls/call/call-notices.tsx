import { Alert } from '@mantine/core';
import { InfoIcon } from 'lucide-react';
import type { Schemas } from '../../../api/client.ts';

/** Why there is less to be seen of the call than of others, or soon will be. */
export function CallNotices({ call }: { call: Schemas['Call'] }) {
  return (
    <>
      {call.endReason === 'unjoined' && (
        <Alert color="gray" icon={<InfoIcon />} title="No client joined this call">
          {call.medium.sip
            ? 'Its phone call was not answered. '
            : `Its client had ${call.joinTimeout} to open the join URL. `}
          There is no transcript and no recording, and it costs nothing
          {call.medium.sip ? ' but SIP time' : ''}.
        </Alert>
      )}
      {call.retentionPolicy === 'auto_delete' && (
        <Alert color="gray" icon={<InfoIcon />} title="This call deletes itself">
          As soon as it has been billed, its transcript, recording and summary are gone. Its times and its
          bill stay.
        </Alert>
      )}
      {call.retentionPolicy === 'zdr' && (
        <Alert color="gray" icon={<InfoIcon />} title="Call content is not stored">
          Neither words nor sound nor a summary: only who spoke, by which tools it was helped, and when.
        </Alert>
      )}
    </>
  );
}
