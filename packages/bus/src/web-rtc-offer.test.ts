import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { WorkerRecord } from './records.ts';
import { createWebRtcOffer } from './web-rtc-offer.ts';

function worker(webRtcFault?: string | null): WorkerRecord {
  const record = { workerId: 'w', url: 'ws://w', capacity: 1, activeCalls: 0, draining: false };
  return webRtcFault === undefined ? record : { ...record, webRtcFault };
}

describe('createWebRtcOffer', () => {
  it.each([
    [[], null],
    [[worker('no binary')], 'no binary'],
    [[worker('no binary'), worker(null)], null],
    [[worker()], 'a media-worker is of an older version'],
  ])(
    'returns why WebRTC is unavailable when no worker offers it, else null: case %#',
    async (workers, reason) => {
      const offer = createWebRtcOffer({ list: () => Promise.resolve(workers) }, new VirtualClock());
      expect(await offer()).toBe(reason);
    },
  );

  it('queries the workers once every few seconds, and assumes WebRTC is available when the bus fails', async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const offer = createWebRtcOffer({ list: () => Promise.reject(new Error(`away ${(asked += 1)}`)) }, clock);
    expect(await Promise.all([offer(), offer()])).toEqual([null, null]);
    expect(asked).toBe(1);
    await clock.advance(3000);
    await offer();
    expect(asked).toBe(2);
  });
});
