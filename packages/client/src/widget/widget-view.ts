import { WIDGET_CSS } from './widget-css.ts';
import { buttonText, statusText, type Texts, type WidgetState } from './widget-state.ts';

export interface WidgetActions {
  /** Starts, cancels or ends a call, depending on the state. */
  onMain: () => void;
  onMute: () => void;
  onSound: () => void;
}

export interface WidgetContent {
  readonly state: WidgetState;
  readonly texts: Texts;
  readonly isMuted: boolean;
  readonly isAudioBlocked: boolean;
}

/** The elements of the widget in a shadow root. Uses no inline styles or markup, so that any CSP allows them. */
export class WidgetView {
  readonly #panel = element('section', 'panel');
  readonly #status = element('p', 'status');
  readonly #main = element('button', 'main');
  readonly #mute = element('button', 'mute');
  readonly #sound = element('button', 'sound');
  readonly #meters = element('div', 'meters');
  readonly #agentLabel = element('span', 'label');
  readonly #userLabel = element('span', 'label');
  readonly #agentMeter = element('span', 'meter agent');
  readonly #microphoneMeter = element('span', 'meter microphone');

  constructor(root: ShadowRoot, { onMain, onMute, onSound }: WidgetActions) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(WIDGET_CSS);
    root.adoptedStyleSheets = [sheet];
    this.#status.setAttribute('role', 'status');
    this.#meters.setAttribute('aria-hidden', 'true');
    this.#meters.append(this.#agentLabel, this.#agentMeter, this.#userLabel, this.#microphoneMeter);
    for (const button of [this.#main, this.#mute, this.#sound]) button.setAttribute('type', 'button');
    this.#main.addEventListener('click', ({ detail }) => {
      // The second click of a double click would undo the first: a call that was hung up would start again.
      if (detail < 2) onMain();
    });
    this.#mute.addEventListener('click', onMute);
    this.#sound.addEventListener('click', onSound);
    const buttons = element('div', 'buttons');
    buttons.append(this.#main, this.#mute, this.#sound);
    this.#panel.append(this.#status, this.#meters, buttons);
    root.append(this.#panel);
  }

  show({ state, texts, isMuted, isAudioBlocked }: WidgetContent): void {
    const isTalking = state.phase === 'talking';
    this.#panel.dataset['phase'] = state.phase;
    this.#panel.setAttribute('aria-label', texts.title);
    setText(this.#status, texts[statusText(state, isMuted)]);
    setText(this.#main, texts[buttonText(state)]);
    setText(this.#mute, texts[isMuted ? 'unmute' : 'mute']);
    setText(this.#sound, texts.sound);
    setText(this.#agentLabel, texts.agentLevel);
    setText(this.#userLabel, texts.userLevel);
    this.#meters.hidden = !isTalking;
    this.#mute.hidden = !isTalking;
    this.#sound.hidden = !isTalking || !isAudioBlocked;
  }

  /** 0 to 1. */
  showLevels({ agent, microphone }: { agent: number; microphone: number }): void {
    this.#agentMeter.style.setProperty('--level', agent.toFixed(2));
    this.#microphoneMeter.style.setProperty('--level', microphone.toFixed(2));
  }
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  created.className = className;
  created.setAttribute('part', className.split(' ')[0] ?? '');
  return created;
}

/** Leaves equal text alone: screen readers announce each change of a status. */
function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
