import { Alert } from '@mantine/core';
import { InfoIcon } from 'lucide-react';
import type { Schemas } from '../../../api/client.ts';

/** Explains missing content of a call, or content that will be deleted soon. */
export function CallNotices({ call }: { call: Schemas['Call'] }) {
  return (
    <>
      {call.endReason === 'unjoined' && (
        <Alert color="gray" icon={<InfoIcon />} title="No client joined this call">
          {call.medium.sip
            ? 'Its phone call was not answered. '
            : `Its client had ${call.joinTimeout} to open the join URL. `}
          There is no transcript and no recording, and it is free
          {call.medium.sip ? ' except for SIP time' : ''}.
        </Alert>
      )}
      {call.retentionPolicy === 'auto_delete' && (
        <Alert color="gray" icon={<InfoIcon />} title="This call will be deleted">
          Its transcript, recording and summary are deleted when it has been billed. Its times and billing
          remain.
        </Alert>
      )}
      {call.retentionPolicy === 'zdr' && (
        <Alert color="gray" icon={<InfoIcon />} title="Call content is not stored">
          No text, audio or summary is stored: only who spoke, which tools ran, and when.
        </Alert>
      )}
    </>
  );
}
