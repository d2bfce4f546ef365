import MiniSearch from './minisearch.js';

const SHOWN = 8;
const SHOWN_OF_A_PAGE = 3;
/** The same options as in src/search-index.ts. */
const OPTIONS = { fields: ['page', 'heading', 'text'], storeFields: ['page', 'heading', 'excerpt'] };
const QUERY = { prefix: true, fuzzy: 0.2, combineWith: 'AND', boost: { page: 3, heading: 2 } };

const input = document.getElementById('search');
const results = document.getElementById('results');
let index;

/** Loads the index when the reader first focuses the field, and again after a failure. */
function loadIndex() {
  index ??= fetch('/docs/assets/search-index.json')
    .then((response) => response.text())
    .then((json) => MiniSearch.loadJSON(json, OPTIONS))
    .catch(() => {
      index = undefined;
    });
  return index;
}

function resultItem({ id, page, heading, excerpt }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = id;
  const title = document.createElement('strong');
  title.textContent = heading === page ? page : `${page} › ${heading}`;
  const text = document.createElement('span');
  text.textContent = excerpt;
  link.append(title, text);
  item.append(link);
  return item;
}

/** Returns the best results, with few sections of the same page. */
function find(index, query) {
  const shown = new Map();
  const isShown = ({ page }) => {
    shown.set(page, (shown.get(page) ?? 0) + 1);
    return shown.get(page) <= SHOWN_OF_A_PAGE;
  };
  return index.search(query, QUERY).filter(isShown).slice(0, SHOWN);
}

async function search() {
  const loaded = await loadIndex();
  const query = input.value.trim();
  const found = query === '' || !loaded ? [] : find(loaded, query);
  const empty = document.createElement('li');
  empty.textContent = loaded ? 'No results' : 'The search could not be loaded. Check the connection.';
  results.replaceChildren(...(found.length > 0 ? found.map(resultItem) : [empty]));
  results.hidden = query === '';
}

input.addEventListener('focus', () => void loadIndex());
input.addEventListener('input', () => void search());

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') results.hidden = true;
  if (event.key === 'Enter' && document.activeElement === input) results.querySelector('a')?.click();
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event);
});

/** Moves the focus between the field and the results. */
function moveFocus(event) {
  const stops = [input, ...results.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (at < 0 || results.hidden) return;
  event.preventDefault();
  stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))].focus();
}

document.addEventListener('click', (event) => {
  if (!event.target.closest('.search') || event.target.closest('a')) results.hidden = true;
});
