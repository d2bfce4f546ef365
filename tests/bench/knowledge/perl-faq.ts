import { readdir, readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * The questions and answers of the Perl FAQ, and the rest of Perl's manual: Debian's `perl-doc` (GPL-1+ or Artistic). The
 * questions were written by people, and the answers do not repeat them.
 */
export interface QuestionSet {
  questions: { text: string; answer: string }[];
  /** Markdown documents that answer none of the questions. */
  others: string[];
}

const QUESTION_SET_PACKAGE = 'perl-doc';
/** `folder`: the folder in which the package was unpacked. */
const PODS = 'usr/share/perl/5.*/pod';

/** Throws if the package is missing. */
export async function readPerlFaq(folder: string): Promise<QuestionSet> {
  const [pods] = globSync(PODS, { cwd: folder });
  const names = pods === undefined ? [] : await readdir(join(folder, pods));
  if (pods === undefined || !names.includes('perlfaq4.pod')) {
    throw new Error(`no Perl FAQ in ${folder}: install Debian's ${QUESTION_SET_PACKAGE}`);
  }
  const set: QuestionSet = { questions: [], others: [] };
  for (const name of names.filter((each) => each.endsWith('.pod')).sort()) {
    // This file only lists all questions.
    if (name === 'perlfaq.pod') continue;
    const text = await readFile(join(folder, pods, name), 'utf8');
    if (/^perlfaq\d\.pod$/u.test(name)) set.questions.push(...questionsOf(text));
    else set.others.push(`# ${basename(name, '.pod')}\n\n${markdownOf(text)}`);
  }
  return set;
}

/** The questions of one page of the FAQ. */
export function questionsOf(pod: string): QuestionSet['questions'] {
  return pod
    .split(/^=head2 /mu)
    .slice(1)
    .map((section) => {
      const [heading = '', ...rest] = section.split('\n');
      // Text after the last question of a chapter belongs to the next chapter.
      const answer = rest.join('\n').split(/^=head1 /mu, 1)[0] ?? '';
      return { text: plain(heading), answer: markdownOf(answer) };
    })
    .filter(({ answer }) => answer.trim() !== '');
}

function markdownOf(pod: string): string {
  const paragraphs = pod.split(/\n\s*\n/u).flatMap((paragraph) => {
    if (/^[ \t]/u.test(paragraph)) return [paragraph.replaceAll(/^/gmu, '    ')];
    const [, level, heading] = /^=head([1-4])\s+([\s\S]*)/u.exec(paragraph) ?? [];
    if (level !== undefined && heading !== undefined)
      return [`${'#'.repeat(Number(level) + 1)} ${plain(heading)}`];
    const [, item] = /^=item\s+([\s\S]*)/u.exec(paragraph) ?? [];
    if (item !== undefined) return [plain(item)];
    return paragraph.startsWith('=') ? [] : [plain(paragraph)];
  });
  return paragraphs.join('\n\n');
}

/** Removes the formatting codes of perlpod. */
function plain(text: string): string {
  let before: string;
  let after = text;
  do {
    before = after;
    after = before
      .replaceAll(/E<(gt|lt|verbar|sol)>/gu, (_code, name: string) => ENTITIES[name] ?? '')
      .replaceAll(
        /L<(?:([^<>|]*)\|)?([^<>]*)>/gu,
        (_code, label: string | undefined, target: string) => label ?? target,
      )
      .replaceAll(/[A-Z]<<+\s+([\s\S]*?)\s+>>+/gu, '$1')
      .replaceAll(/[BCFIXSZ]<([^<>]*)>/gu, '$1');
  } while (after !== before);
  return after.replaceAll(/\s+/gu, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = { gt: '>', lt: '<', verbar: '|', sol: '/' };
