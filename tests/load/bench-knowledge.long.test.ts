import { describe, expect, it } from '@jest/globals';
import { questionsOf } from '../bench/knowledge/perl-faq.ts';
import { rankingQuality, rankOf } from '../bench/knowledge/ranking-quality.ts';

describe('rankingQuality', () => {
  it('counts documents among the first 5, and weights those among the first 10 by their rank', () => {
    expect(rankingQuality([1, 1])).toEqual({ recallAt5: 1, ndcgAt10: 1 });
    expect(rankingQuality([3, null])).toEqual({ recallAt5: 0.5, ndcgAt10: 0.25 });
    expect(rankingQuality([7])).toEqual({ recallAt5: 0, ndcgAt10: 1 / 3 });
    expect(rankingQuality([11])).toEqual({ recallAt5: 0, ndcgAt10: 0 });
  });

  it('ranks documents by their best passage', () => {
    expect(rankOf(['a', 'a', 'b', 'a'], 'b')).toBe(2);
    expect(rankOf(['a'], 'c')).toBeNull();
  });
});

describe('questionsOf', () => {
  it('separates questions from answers, without formatting codes', () => {
    const pod = [
      '=head1 NAME\n\nperlfaq0',
      '=head2 How do I use C<< print >> and E<lt>?\n\nSee L<the manual|perlfunc/print>, B<all I<of>\nit>.',
      '    # code\n    print 1;',
      '=head2 Next?\n\nYes, L<perlre>.',
      '=head1 AUTHOR\n\nSomeone',
    ].join('\n\n');
    expect(questionsOf(pod)).toEqual([
      {
        text: 'How do I use print and <?',
        answer: expect.stringMatching(/^See the manual, all of it\.\n\n {8}# code\n {8}print 1;/u),
      },
      { text: 'Next?', answer: expect.stringMatching(/^Yes, perlre\.\s*$/u) },
    ]);
  });
});
