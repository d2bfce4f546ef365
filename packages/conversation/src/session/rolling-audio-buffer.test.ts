import { describe, expect, it } from '@jest/globals';
import { RollingAudioBuffer } from './rolling-audio-buffer.ts';

describe('RollingAudioBuffer', () => {
  it('retains the newest samples whatever the chunk size', () => {
    const buffer = new RollingAudioBuffer(5);
    expect([...buffer.read()]).toEqual([]);
    const piece = Int16Array.of(1, 2, 3);
    buffer.push(piece);
    piece.fill(0);
    expect([...buffer.read()]).toEqual([1, 2, 3]);
    buffer.push(Int16Array.of(4, 5, 6));
    expect([...buffer.read()]).toEqual([2, 3, 4, 5, 6]);
    buffer.push(Int16Array.of(7, 8));
    buffer.push(new Int16Array(0));
    expect([...buffer.read()]).toEqual([4, 5, 6, 7, 8]);
    buffer.push(Int16Array.of(1, 2, 3, 4, 5, 6, 7));
    expect([...buffer.read()]).toEqual([3, 4, 5, 6, 7]);
  });
});
