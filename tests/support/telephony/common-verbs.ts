import { onlyChild, requireAttributes, type XmlElement } from './call-xml.ts';
import { ProtocolError, type Verb } from './provider.ts';

/** Parses a verb that all providers share; `stream` parses all others. */
export function readVerb(
  element: XmlElement,
  dialled: { number: string; sip: string; inText: boolean },
  stream: (element: XmlElement) => Verb,
): Verb {
  switch (element.name) {
    case 'Redirect':
      return readRedirect(element);
    case 'Hangup':
      requireAttributes(element, ['reason', 'schedule']);
      return { verb: 'hangup' };
    case 'Dial':
      return readDial(element, dialled);
    default:
      return stream(element);
  }
}

function readRedirect(element: XmlElement): Verb {
  requireAttributes(element, ['method']);
  const { method = 'POST' } = element.attributes;
  if (method !== 'POST' && method !== 'GET') throw new ProtocolError(`invalid method ${method}`);
  if (!URL.canParse(element.text)) throw new ProtocolError(`invalid Redirect URL ${element.text}`);
  return { verb: 'redirect', request: { url: element.text, method } };
}

const DIAL_ATTRIBUTES = ['action', 'answerOnBridge', 'callerId', 'method', 'timeLimit', 'timeout'];

function readDial(
  element: XmlElement,
  { number, sip, inText }: { number: string; sip: string; inText: boolean },
): Verb {
  requireAttributes(element, DIAL_ATTRIBUTES);
  const callerId = element.attributes['callerId'] ?? null;
  if (inText && element.children.length === 0) {
    if (!isNumber(element.text)) throw new ProtocolError(`invalid Dial number ${element.text}`);
    return { verb: 'dial', target: element.text, callerId };
  }
  const noun = onlyChild(element, element.children[0]?.name === sip ? sip : number);
  const isGood = noun.name === sip ? /^sips?:.+/u.test(noun.text) : isNumber(noun.text);
  if (!isGood) throw new ProtocolError(`invalid ${noun.name} ${noun.text}`);
  return { verb: 'dial', target: noun.text, callerId };
}

function isNumber(text: string): boolean {
  return /^\+?\d{3,15}$/u.test(text);
}

/** Validates the URL of a WebSocket stream. Providers require TLS, but this stand-in on one machine does not. */
export function streamUrl(text: string | undefined): string {
  if (text === undefined || !URL.canParse(text)) throw new ProtocolError(`invalid stream URL ${text}`);
  if (!['ws:', 'wss:'].includes(new URL(text).protocol))
    throw new ProtocolError(`stream URL ${text} is not a WebSocket URL`);
  return text;
}
