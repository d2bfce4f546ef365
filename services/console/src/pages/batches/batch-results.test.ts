import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../api/client.ts';
import { resultsCsv } from './batch-results.ts';

const scheduled = (fields: Partial<Schemas['ScheduledCall']>): Schemas['ScheduledCall'] => ({
  batchId: 'b',
  status: 'PENDING',
  callId: null,
  error: null,
  ...fields,
});
const joined = '2026-01-01T10:00:00Z';
const call = { callId: 'c', joined, ended: null, endReason: null, shortSummary: 'Booked, "twice".' };

describe('resultsCsv', () => {
  it('lists the requests of a batch with the calls that they created', () => {
    const first = scheduled({
      status: 'SUCCESS',
      callId: 'c',
      medium: { telephony1: { outgoing: { to: '+49301', from: '+49300' } } },
      templateContext: { guest: { name: 'Bo' }, nights: 3 },
    });
    const second = scheduled({ status: 'ERROR', error: 'no voice', metadata: { room: '12' } });
    expect(resultsCsv([first, second], [call as Schemas['Call']]).split('\r\n')).toEqual([
      'status,error,to,context.guest.name,context.nights,callId,joined,ended,endReason,billedDuration,shortSummary,metadata.room',
      `SUCCESS,,+49301,Bo,3,c,${joined},,,,"Booked, ""twice"".",`,
      'ERROR,no voice,,,,,,,,,,12',
      '',
    ]);
  });
});
