import { describe, expect, it } from '@jest/globals';
import { VolumeTrack } from './volume-track.ts';

const RATE_HZ = 1000;
/** At this rate a change takes 20 samples. */
const RAMP = 20;

function played(track: VolumeTrack, start: number, count: number): number[] {
  const samples = new Int16Array(count).fill(1000);
  track.apply(samples, start);
  return [...samples];
}

describe('VolumeTrack', () => {
  it('changes the volume gradually from a position on', () => {
    const track = new VolumeTrack(RATE_HZ);
    track.set(100, 0.2);
    expect(played(track, 98, 4)).toEqual([1000, 1000, 1000, 960]);
    expect(played(track, 100 + RAMP / 2, 1)).toEqual([600]);
    expect(played(track, 100 + RAMP, 2)).toEqual([200, 200]);
  });

  it('gives the same volume in any division into blocks', () => {
    const track = new VolumeTrack(RATE_HZ);
    track.set(10, 0.25);
    track.set(50, 1);
    const blocks = [0, 7, 31, 52].map((start, i, all) => played(track, start, (all[i + 1] ?? 100) - start));
    expect(blocks.flat()).toEqual(played(track, 0, 100));
  });

  it('replaces changes at later positions, as their audio is sent again', () => {
    const track = new VolumeTrack(RATE_HZ);
    track.set(100, 0.5);
    track.set(80, 0.25);
    expect(played(track, 200, 1)).toEqual([250]);
  });

  it('continues from the volume that a change has reached', () => {
    const track = new VolumeTrack(RATE_HZ);
    track.set(0, 0);
    track.set(RAMP / 2, 1);
    expect(played(track, RAMP / 2, 1)).toEqual([500]);
    expect(played(track, RAMP + RAMP / 2, 1)).toEqual([1000]);
  });

  it('keeps the volume when earlier changes are released', () => {
    const track = new VolumeTrack(RATE_HZ);
    track.set(0, 0.5);
    track.release(500);
    expect(played(track, 500, 1)).toEqual([500]);
    track.set(600, 1);
    track.release(600 + RAMP);
    expect(played(track, 700, 1)).toEqual([1000]);
  });
});
