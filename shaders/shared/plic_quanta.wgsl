//! Quanta of PLIC
//! Volumes that PLIC moves are integer multiples of 2^-23 of a cell. Sums of them are exact in f32 up to two volumes a cell.

const QUANTA = 8388608.0; // of a cell's volume, 2^23
