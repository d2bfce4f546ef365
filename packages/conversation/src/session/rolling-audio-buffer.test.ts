import { describe, expect, it } from '@jest/globals';
import { RollingAudioBuffer } from './rolling-audio-buffer.ts';

describe('RollingAudioBuffer', () => {
  it('retains the newest samples whatever the chunk size', () => {
    const kept = new RollingAudioBuffer(5);
    expect([...kept.read()]).toEqual([]);
    const piece = Int16Array.of(1, 2, 3);
    kept.push(piece);
    piece.fill(0);
    expect([...kept.read()]).toEqual([1, 2, 3]);
    kept.push(Int16Array.of(4, 5, 6));
    expect([...kept.read()]).toEqual([2, 3, 4, 5, 6]);
    kept.push(Int16Array.of(7, 8));
    kept.push(new Int16Array(0));
    expect([...kept.read()]).toEqual([4, 5, 6, 7, 8]);
    kept.push(Int16Array.of(1, 2, 3, 4, 5, 6, 7));
    expect([...kept.read()]).toEqual([3, 4, 5, 6, 7]);
  });
});
