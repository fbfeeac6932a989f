/** Test against the payments sandbox: a world of its own for each test, its clock, its callbacks. */
package payments.sandbox;
