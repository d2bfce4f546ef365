import { SaxesParser } from 'saxes';
import { ProtocolError } from './provider.ts';

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** The text of the element itself, trimmed. */
  text: string;
}

const MAX_XML_BYTES = 64 * 1024;

/** Parses the `Response` element of a webhook response. Throws a ProtocolError for an invalid document. */
export function readResponse(xml: string): XmlElement {
  if (Buffer.byteLength(xml) > MAX_XML_BYTES) throw new ProtocolError('the XML is larger than 64 KiB');
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new ProtocolError(`invalid XML: ${error.message}`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element) element.text = element.text.trim();
  });
  parser.write(xml).close();
  const [response] = root.children;
  if (response?.name !== 'Response')
    throw new ProtocolError(`the root element must be Response, not ${response?.name}`);
  return response;
}

/** Rejects attributes that the provider does not support. */
export function requireAttributes({ name, attributes }: XmlElement, known: readonly string[]): void {
  for (const attribute of Object.keys(attributes)) {
    if (!known.includes(attribute)) throw new ProtocolError(`${name} has no attribute ${attribute}`);
  }
}

export function onlyChild({ name, children }: XmlElement, wanted: string): XmlElement {
  const [child, ...others] = children;
  if (child?.name !== wanted || others.length > 0) {
    throw new ProtocolError(`${name} must contain exactly one ${wanted}`);
  }
  return child;
}
