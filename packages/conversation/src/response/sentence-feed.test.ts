import { describe, expect, it } from '@jest/globals';
import { SentenceFeed } from './sentence-feed.ts';
import type { Sentence } from './sentence-builder.ts';

function piece(text: string): Sentence {
  return { shown: `${text} `, spoken: text };
}

/** Yields a sentence each time `release` is called. */
function gated(texts: string[]): { source: AsyncIterable<Sentence>; release: () => void } {
  const gates = texts.map(() => Promise.withResolvers<undefined>());
  let released = 0;
  async function* source(): AsyncGenerator<Sentence> {
    for (const [i, text] of texts.entries()) {
      await gates[i]?.promise;
      yield piece(text);
    }
  }
  return {
    source: source(),
    release: () => {
      gates[released]?.resolve(undefined);
      released += 1;
    },
  };
}

describe('SentenceFeed', () => {
  it('passes the next sentence to a new reader when an earlier reader still waits for it', async () => {
    const { source, release } = gated(['One.', 'Two.', 'Three.']);
    const feed = new SentenceFeed(source);
    const first = feed.read();
    release();
    expect((await first.next()).value).toBe('One.');
    expect(feed.take('One.')).toBe('One. ');
    void first.next();
    const second = feed.read();
    release();
    release();
    expect((await second.next()).value).toBe('Two.');
    expect((await second.next()).value).toBe('Three.');
    expect((await second.next()).done).toBe(true);
  });

  it('passes sentences that were read but not spoken to the next reader', async () => {
    const { source, release } = gated(['One.', 'Two.']);
    release();
    release();
    const feed = new SentenceFeed(source);
    const first = feed.read();
    await first.next();
    await first.next();
    feed.take('One.');
    expect((await feed.read().next()).value).toBe('Two.');
  });

  it('includes the text of skipped sentences when the next one is taken', async () => {
    const { source, release } = gated(['One.', '-', 'Two.']);
    for (let i = 0; i < 3; i += 1) release();
    const feed = new SentenceFeed(source);
    const reader = feed.read();
    for (let i = 0; i < 3; i += 1) await reader.next();
    expect(feed.take('One.')).toBe('One. ');
    expect(feed.take('Two.')).toBe('- Two. ');
  });
});
