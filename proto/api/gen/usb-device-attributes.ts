// Generated from ../schemas by `npm run generate`: do not edit.

/**
 * What the ResourceSlice says of the device.
 */
export interface UsbDeviceAttributes {
  /**
   * Release of the device (bcdDevice), four hex digits.
   */
  bcd?: string;
  /**
   * Number of the bus on its node, three digits.
   */
  bus?: string;
  /**
   * Number on the bus, three digits; another one after each plug.
   */
  deviceNumber?: string;
  /**
   * Device file on its node.
   */
  devicePath?: string;
  /**
   * Major number of the device file.
   */
  major?: number;
  /**
   * Minor number of the device file.
   */
  minor?: number;
  /**
   * Text of the manufacturer, as the device tells it.
   */
  manufacturer?: string;
  /**
   * Name of the device in the ResourceSlice.
   */
  name?: string;
  /**
   * Node that the device is plugged into.
   */
  nodeName?: string;
  /**
   * Text of the product, as the device tells it.
   */
  product?: string;
  /**
   * Product number (idProduct), four hex digits.
   */
  productID?: string;
  /**
   * Serial number, as the device tells it.
   */
  serial?: string;
  /**
   * Speed in Mb/s; 1 for the 1.5 Mb/s of low speed.
   */
  speed?: number;
  /**
   * Vendor number (idVendor), four hex digits.
   */
  vendorID?: string;
}
