// SPDX-License-Identifier: Apache-2.0
// The page of `matrix --format html` in a real browser.
//   node test_matrix.mjs CHROMIUM NVFP4-SELECT MODELS [SCREENSHOTS]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { Browser } from './browser.mjs';

const [chromium, tool, models, shots] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'nvfp4-matrix-'));
const hostile = '</script><img src=x onerror="document.title=\'broken\'"> & "more"';
const rows = readdirSync(models).filter(name => statSync(join(models, name)).isDirectory())
  .flatMap(name => ['--model', join(models, name)]);
const matrix = (...args) =>
  execFileSync(tool, ['matrix', ...args], { maxBuffer: 1 << 26, env: { ...process.env, NVFP4_POLICY: '' } });

let browser;
const pages = {};

function make(name, ...args) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, matrix(...args, '--format', 'html'));
  pages[name] = { path, url: pathToFileURL(path).href };
}

before(async () => {
  make('models', ...rows);
  make('policies', '--policy', 'vllm-45836,vllm-46492');
  make('hostile', '--title', hostile, '--gpu', 'h100,sm 120');
  browser = await Browser.start(chromium);
});

after(async () => {
  await browser.stop();
  rmSync(folder, { recursive: true });
});

const desktop = { width: 1280, height: 800 };
const phone = { width: 375, height: 760, mobile: true };

/* Runs a check on a page that must stay silent and alone. */
async function visit(name, screen, check) {
  const page = await browser.page(pages[name].url, screen);
  await check(page);
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests, [pages[name].url]);
  await page.close();
}

const shown = (page, selector) => page.evaluate(
  `[...document.querySelectorAll(${JSON.stringify(selector)})].filter(e => e.offsetParent !== null).map(e => e.innerText)`);
const text = (page, selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`);
const isOpen = page => page.evaluate('document.getElementById("answer").open');
const focus = page => page.evaluate(`(() => { const e = document.activeElement, c = e.closest('td,th');
  return c ? [c.parentElement.rowIndex, c.cellIndex, [...c.children].indexOf(e)] : e.id || e.tagName; })()`);

async function fill(page, id, value) {
  await page.evaluate(`(() => { const e = document.getElementById('${id}'); e.focus(); e.select(); })()`);
  await page.type(value);
}

test('a page of all models on all boards is small', () => {
  assert.ok(statSync(pages.models.path).size < 500_000);
});

test('cells say what the decision says', () => visit('models', desktop, async page => {
  const json = JSON.parse(matrix(...rows, '--format', 'json'));
  const labels = await page.evaluate(`[...document.querySelectorAll('tbody tr')].map(row =>
    [...row.querySelectorAll('td button')].map(b => b.getAttribute('aria-label').split(',')[0]))`);
  const heads = (await shown(page, 'thead .device')).map(head => head.split('\n')[0]);
  assert.equal(labels.length, json.rows.length);
  json.rows.forEach((row, r) => {
    if (row.reason !== null) {
      assert.deepEqual(labels[r], []);
      return;
    }
    json.columns.forEach((column, c) => {
      const at = heads.indexOf(column.sm === null ? column.vendor : `SM ${column.sm}`);
      const answer = Object.values(row.answers)[0][c];
      assert.equal(labels[r][at], answer.backend ?? 'no backend', `${row.name} on ${heads[at]}`);
    });
  });
}));

test('layers are filtered by text', () => visit('models', desktop, async page => {
  const all = (await shown(page, 'tbody tr')).length;
  await fill(page, 'rows', 'swiglustep');
  const few = await shown(page, 'tbody th');
  assert.ok(few.length > 0 && few.length < all && few.every(name => name.includes('swiglustep')));
  assert.match(await text(page, '#count'), new RegExp(`^${few.length} layers?, 14 devices$`));
  await fill(page, 'rows', 'no such layer');
  assert.equal((await shown(page, 'tbody tr')).length, 0);
  assert.equal(await text(page, '#empty'), 'Nothing matches.');
  await page.click('#clear');
  await page.evaluate('new Promise(resolve => setTimeout(resolve, 50))');
  assert.equal((await shown(page, 'tbody tr')).length, all);
}));

for (const [words, expected] of [['h100', ['SM 90']], ['rtx 5090', ['SM 120']], ['sm 10', ['SM 107', 'SM 103', 'SM 100']],
  ['mi300x', ['amd']]])
  test(`devices are filtered by "${words}"`, () => visit('models', desktop, async page => {
    await fill(page, 'columns', words);
    assert.deepEqual((await shown(page, 'thead .device')).map(head => head.split('\n')[0]), expected);
    const cells = await page.evaluate(`[...document.querySelector('td button').closest('tr').cells]
      .filter(cell => cell.offsetParent !== null).length`);
    assert.equal(cells, expected.length + 1);
  }));

test('a click opens the reasons of a cell, Escape closes them', () => visit('models', desktop, async page => {
  const row = '[...document.querySelectorAll("tbody tr")].findIndex(r => r.innerText.includes("limit 10.0")) + 1';
  const cell = `tbody tr:nth-child(${await page.evaluate(row)}) td:nth-child(3) button`; // SM 120
  await page.click(cell);
  assert.ok(await isOpen(page));
  assert.match(await text(page, '#answer-title'), / on SM 120\nsilu, limit 10\.0$/);
  const body = await text(page, '#answer-body');
  assert.match(body, /^FLASHINFER_CUTLASS/);
  assert.match(body, /pass to the kernel\s+limit 10, alpha 1, beta 0/);
  assert.match(body, /FLASHINFER_TRTLLM\/modular\s+device\s+needs sm 100, 103, 107; has sm 120/);
  await page.press('Escape');
  assert.ok(!await isOpen(page));
  assert.ok(await page.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(cell)})`));
  await page.click(cell);
  await page.click('#close');
  assert.ok(!await isOpen(page));
}));

test('keys move about the table and open a cell', () => visit('models', desktop, async page => {
  const stops = await page.evaluate(`[...document.querySelectorAll('table button')].filter(b => b.tabIndex === 0).length`);
  assert.equal(stops, 1);
  await page.evaluate('document.querySelector("#legend li:last-child button").focus()');
  await page.press('Tab');
  const first = await focus(page);
  assert.equal(first[1], 1);
  await page.press('ArrowRight');
  await page.press('ArrowDown');
  const second = await focus(page);
  assert.ok(second[0] > first[0] && second[1] === 2);
  await page.press('Home');
  assert.deepEqual(await focus(page), [second[0], 1, 0]);
  await page.press('End');
  assert.equal((await focus(page))[1], 14);
  await page.press('Home', 2); // with Control
  assert.equal((await focus(page))[0], 0);
  await page.press('ArrowDown');
  assert.deepEqual(await focus(page), [first[0], 1, 0]);
  await page.press('Enter');
  assert.ok(await isOpen(page));
  assert.equal(await focus(page), 'close');
  await page.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.closest("table")'), null);
  await page.press('Escape');
  assert.deepEqual(await focus(page), [first[0], 1, 0]);
}));

test('a heading lists its boards', () => visit('models', desktop, async page => {
  await page.click('thead th:nth-child(8) .device');
  assert.match(await text(page, '#answer-title'), /^SM 90\n\d+ boards$/);
  assert.match(await text(page, '#answer-body'), /NVIDIA H100/);
}));

test('the legend singles out a backend', () => visit('models', desktop, async page => {
  await page.click('#legend [data-b=b8]');
  const [dim, bright] = await page.evaluate(`[...document.querySelectorAll('td button')].reduce((n, b) => {
    n[b.classList.contains('dim') ? 0 : 1].add(b.classList[0]); return n; }, [new Set, new Set]).map(s => [...s])`);
  assert.deepEqual(bright, ['b8']);
  assert.ok(dim.length > 0 && !dim.includes('b8'));
}));

test('policies stand one below the other', () => visit('policies', desktop, async page => {
  const cell = await page.evaluate(`[...document.querySelectorAll('tbody tr')].map(row =>
    [...row.cells[2].children].map(b => [b.innerText, b.classList.contains('differs')]))[1]`);
  assert.deepEqual(cell, [['Marlin*', false], ['CUTLASS', true]]); // SiLU with a limit on SM 120
  await page.click('tbody tr:nth-child(2) td:nth-child(3) button:last-child');
  assert.match(await text(page, '#answer-body'), /^vllm-46492\s+FLASHINFER_CUTLASS[^]*vllm-45836\s+MARLIN/);
}));

test('nothing in a name is markup', () => visit('hostile', desktop, async page => {
  assert.equal(await text(page, 'h1'), hostile);
  assert.equal(await page.evaluate('document.querySelectorAll("img").length'), 0);
  assert.equal(await page.evaluate('document.title'), hostile);
}));

test('a screen reader is told what is there', () => visit('models', desktop, async page => {
  let nodes = await page.accessible();
  for (const role of ['table', 'columnheader', 'rowheader', 'search', 'searchbox', 'status', 'heading'])
    assert.ok(nodes.some(node => node.role === role), role);
  const nameless = nodes.filter(node => ['button', 'searchbox', 'table'].includes(node.role) && node.name === '');
  assert.deepEqual(nameless, []);
  await page.click('td button');
  nodes = await page.accessible();
  assert.match(nodes.find(node => node.role === 'dialog').name, / on SM 121/);
}));

/* The least contrast of any text against its own background, as WCAG counts it. */
const contrast = `(() => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => numbers(color).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if ((numbers(color)[3] ?? 1) > 0)
        return color;
    }
    return 'rgb(255, 255, 255)';
  };
  let least = [21, ''];
  for (const e of document.querySelectorAll('button, th, td, small, p, h1, h2, dt, dd, label, output, li')) {
    if (e.offsetParent === null || e.innerText.trim() === '')
      continue;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least[0])
      least = [ratio, e.outerHTML.slice(0, 80)];
  }
  return least;
})()`;

for (const [name, screen] of [['desktop', desktop], ['phone', phone]])
  for (const dark of [false, true])
    test(`fits and reads well: ${name}, ${dark ? 'dark' : 'light'}`, () =>
      visit('models', { ...screen, dark }, async page => {
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), screen.width);
        let [least, where] = await page.evaluate(contrast);
        assert.ok(least >= 4.5, `${least} at ${where}`);
        /* Headings stay while the rest scrolls. */
        const kept = await page.evaluate(`(() => { const s = document.querySelector('.scroll');
          s.scrollTop = 300; s.scrollLeft = 200; const box = s.getBoundingClientRect();
          const at = e => e.getBoundingClientRect();
          return [at(document.querySelector('thead .device')).top - box.top,
            at(document.querySelector('tbody tr:nth-child(9) th')).left - box.left]; })()`);
        assert.ok(kept.every(distance => Math.abs(distance) < 3), String(kept));
        const save = async what => {
          if (!shots)
            return;
          mkdirSync(shots, { recursive: true });
          await page.evaluate('new Promise(resolve => setTimeout(resolve, 300))');
          await page.screenshot(join(shots, `matrix-${name}-${dark ? 'dark' : 'light'}${what}.png`));
        };
        await page.evaluate(`document.querySelector('.scroll').scrollTo(0, 0)`);
        await save('');
        await page.click('td:nth-child(3) button');
        await page.evaluate('new Promise(resolve => setTimeout(resolve, 300))');
        [least, where] = await page.evaluate(contrast);
        assert.ok(least >= 4.5, `${least} at ${where}`);
        assert.ok(await page.evaluate(`(() => { const r = document.getElementById('answer').getBoundingClientRect();
          return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })()`));
        await save('-open');
      }));
