// SPDX-License-Identifier: Apache-2.0
// A headless Chromium over the DevTools protocol, through a pipe: no port, no package.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-extensions', '--hide-scrollbars', '--remote-debugging-pipe',
];

export class Browser {
  static async start(path) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), 'nvfp4-browser-'));
    browser.process = spawn(path, [...flags, `--user-data-dir=${browser.profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    browser.calls = new Map();
    browser.last = 0;
    browser.listeners = [];
    let rest = Buffer.alloc(0);
    browser.process.stdio[4].on('data', chunk => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        browser.receive(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
    return browser;
  }

  receive(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners)
        listener(message);
      return;
    }
    const { resolve, reject } = this.calls.get(message.id);
    this.calls.delete(message.id);
    if (message.error)
      reject(new Error(message.error.message));
    else
      resolve(message.result);
  }

  call(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
  }

  async page(url, { width, height, dark = false, mobile = false }) {
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.listeners.push(message => page.notice(message));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility'])
      await page.call(`${domain}.enable`);
    await page.call('Emulation.setDeviceMetricsOverride',
      { width, height, deviceScaleFactor: 1, mobile });
    await page.call('Emulation.setEmulatedMedia',
      { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    const loaded = new Promise(resolve => { page.loaded = resolve; });
    await page.call('Page.navigate', { url });
    await loaded;
    return page;
  }

  async stop() {
    const gone = new Promise(resolve => this.process.once('exit', resolve));
    await this.call('Browser.close').catch(() => {});
    await gone;
    rmSync(this.profile, { recursive: true, force: true });
  }
}

const keys = {
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Escape: { code: 'Escape', windowsVirtualKeyCode: 27 },
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  ArrowRight: { code: 'ArrowRight', windowsVirtualKeyCode: 39 },
  ArrowLeft: { code: 'ArrowLeft', windowsVirtualKeyCode: 37 },
  ArrowDown: { code: 'ArrowDown', windowsVirtualKeyCode: 40 },
  ArrowUp: { code: 'ArrowUp', windowsVirtualKeyCode: 38 },
  Home: { code: 'Home', windowsVirtualKeyCode: 36 },
  End: { code: 'End', windowsVirtualKeyCode: 35 },
};

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, errors: [], requests: [] });
  }

  notice({ method, params, sessionId }) {
    if (sessionId !== this.session)
      return;
    if (method === 'Page.loadEventFired')
      this.loaded();
    else if (method === 'Runtime.exceptionThrown')
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type))
      this.errors.push(params.args.map(arg => arg.value ?? arg.description).join(' '));
    else if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level))
      this.errors.push(params.entry.text);
    else if (method === 'Network.requestWillBeSent')
      this.requests.push(params.request.url);
  }

  call(method, params) {
    return this.browser.call(method, params, this.session);
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async press(key, modifiers = 0) {
    const { text, ...rest } = keys[key] ?? { code: `Key${key.toUpperCase()}`, text: key };
    await this.call('Input.dispatchKeyEvent', { type: 'keyDown', key, text, modifiers, ...rest });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers, ...rest });
  }

  async type(text) {
    await this.call('Input.insertText', { text });
  }

  async click(selector) {
    const { x, y } = await this.evaluate(`(async () => {
      await Promise.all(document.getAnimations().map(animation => animation.finished));
      const e = document.querySelector(${JSON.stringify(selector)});
      e.scrollIntoView({ block: 'center', inline: 'center' });
      const r = e.getBoundingClientRect();
      return { x: r.x + r.width / 2, y: r.y + r.height / 2 };
    })()`);
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }

  async screenshot(path) {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }

  /* What a screen reader is told: roles and names of everything that is not ignored. */
  async accessible() {
    const { nodes } = await this.call('Accessibility.getFullAXTree');
    return nodes.filter(node => !node.ignored)
      .map(node => ({ role: node.role?.value, name: node.name?.value ?? '' }));
  }

  async close() {
    await this.browser.call('Target.closeTarget', { targetId: this.target });
  }
}
