/** The result of a check. */
export interface Finding {
  /** `skipped`: cannot be checked here. */
  outcome: 'ok' | 'warning' | 'error' | 'skipped';
  /** What was checked. */
  subject: string;
  /** What was found. */
  text: string;
  /** How to fix it. */
  remedy?: string;
}

/** The findings of one run, in the order in which a call depends on them. */
export class Findings {
  readonly #report: (finding: Finding) => void;
  readonly #counts = { ok: 0, warning: 0, error: 0, skipped: 0 };

  constructor(report: (finding: Finding) => void) {
    this.#report = report;
  }

  ok(subject: string, text: string): void {
    this.add({ outcome: 'ok', subject, text });
  }

  skipped(subject: string, text: string): void {
    this.add({ outcome: 'skipped', subject, text });
  }

  warning(subject: string, text: string, remedy: string): void {
    this.add({ outcome: 'warning', subject, text, remedy });
  }

  error(subject: string, text: string, remedy: string): void {
    this.add({ outcome: 'error', subject, text, remedy });
  }

  get errors(): number {
    return this.#counts.error;
  }

  get warnings(): number {
    return this.#counts.warning;
  }

  add(finding: Finding): void {
    this.#counts[finding.outcome] += 1;
    this.#report(finding);
  }
}

const MARKS = { ok: '  ok   ', warning: 'WARNING', error: ' ERROR ', skipped: '   -   ' } as const;

export function findingText({ outcome, subject, text, remedy }: Finding): string {
  const line = `[${MARKS[outcome]}] ${subject}: ${text}`;
  return remedy === undefined ? line : `${line}\n            → ${remedy}`;
}
