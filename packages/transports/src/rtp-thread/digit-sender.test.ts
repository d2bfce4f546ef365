import { describe, expect, it } from '@jest/globals';
import { TelephoneEventReader } from '../rtp/telephone-event.ts';
import { DigitSender } from './digit-sender.ts';

/** The result of each tick until no digit is left. */
function sent(sender: DigitSender, firstTick: number): ReturnType<DigitSender['next']>[] {
  const all: ReturnType<DigitSender['next']>[] = [];
  for (let tick = firstTick; tick < firstTick + 2000; tick += 1) {
    const packet = sender.next(tick);
    if (!packet) return all;
    all.push(packet);
  }
  return all;
}

describe('DigitSender', () => {
  it('sends each digit with a growing duration and three end packets, and pauses in between', () => {
    const sender = new DigitSender();
    sender.press('1#', 101, 8000);
    const packets = sent(sender, 50);
    expect(packets.map((packet) => (packet === 'pause' ? '' : packet?.payload.join()))).toEqual([
      ...['1,10,0,160', '1,10,1,64', '1,10,1,224', '1,10,2,128', '1,138,3,32', '1,138,3,32', '1,138,3,32'],
      ...['', '', '', ''],
      ...['11,10,0,160', '11,10,1,64', '11,10,1,224', '11,10,2,128'],
      ...['11,138,3,32', '11,138,3,32', '11,138,3,32', '', '', '', ''],
    ]);
    expect(packets[0]).toMatchObject({ marker: true, payloadType: 101, startTick: 50 });
    expect(packets[6]).toMatchObject({ marker: false, startTick: 50 });
    expect(packets[11]).toMatchObject({ marker: true, startTick: 61 });
  });

  it('sends digits that TelephoneEventReader reads at a clock rate of 48 kHz', () => {
    const sender = new DigitSender();
    const reader = new TelephoneEventReader(48_000);
    const digits = '0123456789*#ABCD';
    sender.press(digits, 102, 48_000);
    const read = sent(sender, 0).map((packet, i) => {
      if (!packet || packet === 'pause') return '';
      const { payload, marker, startTick } = packet;
      const fields = { sequenceNumber: i, timestamp: startTick * 960, ssrc: 1, payloadType: 102 };
      return reader.push({ ...fields, marker, payload }) ?? '';
    });
    expect(read.join('')).toBe(digits);
  });

  it('limits the number of digits, and drops those that have not begun when cleared', () => {
    const sender = new DigitSender();
    sender.press('5'.repeat(500), 101, 8000);
    expect(sent(sender, 0)).toHaveLength(100 * 11);
    sender.press('56', 101, 8000);
    sender.next(0);
    sender.clear();
    expect(sent(sender, 1)).toHaveLength(6 + 4);
  });
});
