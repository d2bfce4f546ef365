import type { Schemas } from '../../api/client.ts';

/** Null if unknown. SIP addresses, in calls by SIP. */
export interface PhoneNumbers {
  readonly called: string | null;
  readonly caller: string | null;
}

/** The numbers of a phone call. Only `Call`, and not `CallSummary`, has those of incoming calls (`requestContext`). */
export function phoneNumbers(call: {
  medium: Schemas['CallMedium'];
  requestContext?: unknown;
}): PhoneNumbers {
  const [name = '', medium = {}] = Object.entries(call.medium)[0] ?? [];
  const announced = fieldOf(call.requestContext, name);
  const of = (field: string, ofProvider: string): string | null => {
    const party = fieldOf(announced, field);
    const value =
      fieldOf(fieldOf(medium, 'outgoing'), field) ?? fieldOf(party, 'uri') ?? fieldOf(announced, ofProvider);
    return typeof value === 'string' ? value : null;
  };
  return { called: of('to', 'To'), caller: of('from', 'From') };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
