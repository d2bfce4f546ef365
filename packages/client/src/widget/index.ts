import { CallsWidget } from './calls-widget.ts';

/*
 * The script of the widget. `<script src="…/sdk/calls-widget.js" data-call-url="/call" async></script>` adds a floating
 * widget to the page; without `data-call-url`, the script only defines `<calls-widget>`.
 */
const ATTRIBUTES = { callUrl: 'call-url', theme: 'theme', texts: 'texts' } as const;

if (!customElements.get('calls-widget')) customElements.define('calls-widget', CallsWidget);

// Modules have no current script.
const script = document.currentScript ?? document.querySelector<HTMLElement>('script[data-call-url]');
const dataset = script?.dataset ?? {};
if (dataset['callUrl'] !== undefined) {
  const widget = document.createElement('calls-widget');
  widget.toggleAttribute('floating', true);
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) {
    const value = dataset[name];
    if (value !== undefined) widget.setAttribute(attribute, value);
  }
  // Pages may add the script again, for example when an effect runs twice. A second widget would cover the first.
  const add = (): void => {
    if (!document.querySelector('calls-widget[floating]')) document.body.append(widget);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', add, { once: true });
  else add();
}
