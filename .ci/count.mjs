// Adds up the JSON reports of the test runs given as arguments and prints one closing line.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const failed = sum('numFailedTests') + reports.filter((report) => !report.success).length;
console.log(`${sum('numPassedTests')} passed, ${failed} failed`);
process.exitCode = failed === 0 && sum('numPassedTests') > 0 ? 0 : 1;
