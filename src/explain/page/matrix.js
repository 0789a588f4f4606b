/* SPDX-License-Identifier: Apache-2.0 */
'use strict';
(() => {
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const table = byId('matrix');
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const rows = [...table.tBodies[0].rows];
  const dialog = byId('answer');
  const body = byId('answer-body');
  let opener = null;

  /* ---- filters ---- */

  const fold = text => text.toLowerCase().replace(/[\s_-]+/g, ' ').trim();
  const rowText = rows.map(row => fold(row.cells[0].textContent));
  const columnText = heads.map((head, i) =>
    data.boards[i].map(fold).concat(fold(head.querySelector('button').firstChild.textContent)));
  const wanted = text => fold(text).split(' ').filter(word => word !== '');
  /* A column stays when all the words begin words of one of its names: "rtx 5090" is no other RTX,
     "sm 10" is not SM 110. */
  const matches = (names, words) =>
    names.some(name => words.every(word => (' ' + name).includes(' ' + word)));

  function filter() {
    const rowWords = wanted(byId('rows').value);
    const columnWords = wanted(byId('columns').value);
    const columns = columnText.map(names => columnWords.length === 0 || matches(names, columnWords));
    const shown = rowText.map(text => rowWords.every(word => text.includes(word)));
    const pressed = [...document.querySelectorAll('#legend [aria-pressed=true]')].map(b => b.dataset.b);
    heads.forEach((head, i) => { head.hidden = !columns[i]; });
    rows.forEach((row, r) => {
      row.hidden = !shown[r];
      const cells = [...row.cells].slice(1);
      if (cells.length < heads.length) {
        cells[0].colSpan = Math.max(1, columns.filter(Boolean).length);
        return;
      }
      cells.forEach((cell, c) => {
        cell.hidden = !columns[c];
        for (const button of cell.children)
          button.classList.toggle('dim', pressed.length > 0 &&
            !pressed.some(name => button.classList.contains(name)));
      });
    });
    const rowCount = shown.filter(Boolean).length;
    const columnCount = columns.filter(Boolean).length;
    byId('count').textContent = rowCount + (rowCount === 1 ? ' layer, ' : ' layers, ') +
      columnCount + (columnCount === 1 ? ' device' : ' devices');
    byId('empty').hidden = rowCount > 0 && columnCount > 0;
    table.parentElement.hidden = !byId('empty').hidden;
    keepTabStop();
  }

  /* ---- what lies behind a cell ---- */

  function put(parent, name, text, className) {
    const element = parent.appendChild(document.createElement(name));
    if (text !== undefined)
      element.textContent = text;
    if (className)
      element.className = className;
    return element;
  }

  function term(list, name, text) {
    put(list, 'dt', name);
    put(list, 'dd', text);
  }

  function showChoice(choice, button) {
    put(body, 'div', choice === null ? 'no backend fits'
      : choice === 'refused' ? 'refused: the backend asked for does not fit'
      : data.strings[choice[0]], 'chosen ' + button.className.replace(/differs|dim/g, ''));
    return choice !== null && choice !== 'refused';
  }

  function forward([limit, alpha, beta, space]) {
    const values = (limit === null ? 'no limit' : 'limit ' + limit) + ', alpha ' + alpha + ', beta ' + beta;
    return space === 'fixed' ? 'nothing, it has constants of its own: ' + values
      : space === 'raw_accumulator' ? values + '; limit and beta divided by the GEMM1 dequantisation scale'
      : values;
  }

  function show(number, button) {
    const [choice, eligible, warnings, remedies, verdicts] = data.answers[number];
    const strings = data.strings;
    if (showChoice(choice, button)) {
      const list = put(body, 'dl');
      term(list, 'runs', choice[1]);
      term(list, 'pass to the kernel', forward(choice[2]));
      term(list, 'eligible', strings[eligible]);
    }
    for (const text of warnings)
      put(body, 'p', strings[text], 'warning');
    if (remedies.length > 0) {
      put(body, 'h3', 'What would help');
      const list = put(body, 'ul', undefined, 'plain');
      for (const text of remedies)
        put(list, 'li', strings[text]);
    }
    put(body, 'h3', 'Ruled out');
    for (const [kernel, findings] of verdicts.map(v => data.verdicts[v])) {
      put(body, 'div', strings[kernel], 'kernel');
      const list = put(body, 'dl', undefined, 'reasons');
      for (const [reason, text] of findings)
        term(list, strings[reason], strings[text]);
    }
  }

  function title(text, small) {
    const heading = byId('answer-title');
    heading.textContent = text;
    put(heading, 'small', small);
  }

  function open(from) {
    opener = from;
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  function openCell(button) {
    const cell = button.parentElement;
    const row = cell.parentElement.cells[0];
    const column = cell.cellIndex - 1;
    const device = heads[column].querySelector('button').firstChild.textContent;
    const detail = row.querySelector('small');
    body.textContent = '';
    title(row.querySelector('.name').textContent + ' on ' + device, detail ? detail.textContent : '');
    /* Several policies: the one pressed first, then the others. */
    const buttons = [...cell.children];
    const order = [button, ...buttons.filter(other => other !== button)];
    for (const each of order) {
      if (buttons.length > 1)
        put(body, 'h3', data.policies[buttons.indexOf(each)]);
      show(Number(each.dataset.a), each);
    }
    open(button);
  }

  function openDevice(button) {
    const boards = data.boards[Number(button.dataset.c)];
    body.textContent = '';
    title(button.firstChild.textContent, boards.length === 1 ? '1 board' : boards.length + ' boards');
    const list = put(body, 'ul', undefined, 'boards');
    for (const name of boards)
      put(list, 'li', name);
    open(button);
  }

  /* ---- one tab stop for the table, arrows inside it ---- */

  const shownRows = () => [table.tHead.rows[0], ...rows].filter(row => !row.hidden);
  const buttonsOf = row => [...row.querySelectorAll('button')].filter(b => !b.parentElement.hidden);

  function keepTabStop() {
    const all = [...table.querySelectorAll('button')];
    const visible = all.filter(b => b.offsetParent !== null);
    const current = visible.find(b => b.tabIndex === 0 && b.dataset.stop) ||
      visible.find(b => b.dataset.a !== undefined) || visible[0];
    for (const button of all) {
      button.tabIndex = button === current ? 0 : -1;
      delete button.dataset.stop;
    }
    if (current)
      current.dataset.stop = '1';
  }

  function move(to) {
    if (!to)
      return;
    for (const button of table.querySelectorAll('[data-stop]')) {
      button.tabIndex = -1;
      delete button.dataset.stop;
    }
    to.tabIndex = 0;
    to.dataset.stop = '1';
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /* Places of a row: one for each policy in every column; a heading has one for all. */
  function below(button, step) {
    const list = shownRows();
    const column = button.parentElement.cellIndex;
    const stack = [...button.parentElement.children];
    const inside = stack[stack.indexOf(button) + step];
    if (inside && button.dataset.a !== undefined)
      return inside;
    for (let r = list.indexOf(button.closest('tr')) + step; r >= 0 && r < list.length; r += step) {
      const cell = list[r].cells[column];
      const found = cell && cell.querySelectorAll('button');
      if (found && found.length > 0)
        return found[step > 0 ? 0 : found.length - 1];
    }
    return null;
  }

  function beside(button, step) {
    const stack = [...button.parentElement.children];
    const place = stack.indexOf(button);
    let cell = button.parentElement;
    do {
      cell = step > 0 ? cell.nextElementSibling : cell.previousElementSibling;
    } while (cell && (cell.hidden || cell.querySelector('button') === null));
    return cell && (cell.children[place] || cell.querySelector('button'));
  }

  table.addEventListener('keydown', event => {
    const button = event.target.closest('button');
    if (!button || event.altKey || event.metaKey)
      return;
    const row = buttonsOf(button.closest('tr'));
    const list = shownRows().filter(r => buttonsOf(r).length > 0);
    const to = {
      ArrowRight: () => beside(button, 1),
      ArrowLeft: () => beside(button, -1),
      ArrowDown: () => below(button, 1),
      ArrowUp: () => below(button, -1),
      Home: () => (event.ctrlKey ? buttonsOf(list[0]) : row)[0],
      End: () => (event.ctrlKey ? buttonsOf(list[list.length - 1]) : row).slice(-1)[0],
    }[event.key];
    if (!to)
      return;
    event.preventDefault();
    move(to());
  });

  table.addEventListener('click', event => {
    const button = event.target.closest('button');
    if (!button)
      return;
    move(button);
    if (button.dataset.a !== undefined)
      openCell(button);
    else
      openDevice(button);
  });

  byId('close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', event => {
    if (event.target === dialog)
      dialog.close();
  });
  dialog.addEventListener('close', () => {
    if (opener)
      opener.focus();
  });
  byId('filters').addEventListener('input', filter);
  byId('filters').addEventListener('submit', event => event.preventDefault());
  byId('filters').addEventListener('reset', () => {
    for (const button of document.querySelectorAll('#legend button'))
      button.setAttribute('aria-pressed', 'false');
    setTimeout(filter);
  });
  byId('legend').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (!button)
      return;
    button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
    filter();
  });
  filter();
})();
