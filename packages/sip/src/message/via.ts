import { readParameters, splitOutside, writeParameters, type SipParameters } from './separated.ts';

/** One hop of a Via header. */
export interface Via {
  /** Upper case: `UDP`, `TCP`, … */
  transport: string;
  host: string;
  port: number | null;
  parameters: SipParameters;
}

const SENT_BY =
  /^SIP\s*\/\s*\d+\.\d+\s*\/\s*(?<transport>[\w-]+)\s+(?<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?:\s*:\s*(?<port>\d{1,5}))?$/iu;

/** Null if malformed. */
export function readVia(text: string): Via | null {
  const [sentBy = '', ...parts] = splitOutside(text, ';');
  const groups = SENT_BY.exec(sentBy)?.groups;
  if (!groups?.['transport'] || !groups['host']) return null;
  return {
    transport: groups['transport'].toUpperCase(),
    host: groups['host'],
    port: groups['port'] === undefined ? null : Number(groups['port']),
    parameters: readParameters(parts),
  };
}

export function writeVia({ transport, host, port, parameters }: Via): string {
  return `SIP/2.0/${transport} ${host}${port === null ? '' : `:${port}`}${writeParameters(parameters)}`;
}
